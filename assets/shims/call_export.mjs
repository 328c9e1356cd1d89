// Imports a module, calls one of its exports with the context on stdin, and prints what it returned as JSON.
// What the function prints itself goes to stderr, so that it cannot be taken for the answer.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

console.log = console.info = console.error;
const [path, name] = process.argv.slice(-2);
try {
  const module = await import(pathToFileURL(resolve(path)).href);
  const handler = module[name];
  if (typeof handler !== "function") throw new Error(`${path} exports no function ${name}`);
  const result = await handler(JSON.parse(readFileSync(0, "utf8")));
  if (result !== undefined && result !== null) process.stdout.write(JSON.stringify(result));
} catch (error) {
  process.stderr.write(String(error?.message ?? error) + "\n");
  process.exitCode = 1;
}
