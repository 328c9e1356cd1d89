#!/bin/sh
# Dies of the signal it is told.
kill -"$1" $$
