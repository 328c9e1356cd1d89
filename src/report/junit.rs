//! JUnit XML for build servers. Commands bring their cases; escaping and counting are the library's.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

#[derive(Debug, Clone)]
pub struct JunitCase {
    /// The file or place it comes from.
    pub class: String,
    pub name: String,
    /// Why it failed; none if it passed.
    pub failure: Option<String>,
    /// How long it took, where that was measured.
    pub time: Option<Duration>,
}

/// The report of one suite, as XML.
pub fn junit(
    suite: &str,
    time: Option<Duration>,
    cases: impl IntoIterator<Item = JunitCase>,
) -> Result<String, SerializeError> {
    let mut tests = TestSuite::new(suite);
    tests.time = time;
    tests.add_test_cases(cases.into_iter().map(test_case));
    Report::new("hookdbg").add_test_suite(tests).to_string()
}

fn test_case(case: JunitCase) -> TestCase {
    let status = match case.failure {
        None => TestCaseStatus::success(),
        Some(why) => {
            let why = allowed(&why);
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            // XML turns line ends in an attribute into spaces, so several lines go into the body as well.
            status.set_message(why.lines().next().unwrap_or_default());
            if why.contains('\n') {
                status.set_description(why);
            }
            status
        }
    };
    let mut test = TestCase::new(allowed(&case.name), status);
    test.set_classname(allowed(&case.class));
    test.time = case.time;
    test
}

/// Without the two characters that quick-junit lets through and XML 1.0 forbids.
fn allowed(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_carry_is_escaped_or_left_out() {
        let case = JunitCase {
            class: "a&b.yaml".into(),
            name: "says \"<no>\"".into(),
            failure: Some("line one\nline \u{1b}[31mtwo\u{1b}[0m\u{1}\u{8}\u{fffe}".into()),
            time: None,
        };
        let xml = junit("hookdbg test", None, [case]).unwrap();
        assert!(xml.contains("classname=\"a&amp;b.yaml\""), "{xml}");
        assert!(xml.contains("name=\"says &quot;&lt;no&gt;&quot;\""), "{xml}");
        assert!(xml.contains("<failure message=\"line one\">line one\nline two</failure>"), "{xml}");
        assert!(xml.contains("tests=\"1\" skipped=\"0\" errors=\"0\" failures=\"1\""), "{xml}");
    }
}
