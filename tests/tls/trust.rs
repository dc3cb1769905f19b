//! Fingerprints, certificate facts, and the file of accepted certificates.

use geomys_store::files::trust::{self, Pins};
use geomys_testing::tls::Identity;
use geomys_wire::net::certificate::CertificateDetails;
use geomys_wire::net::{Fingerprint, Pin};

#[test]
fn fingerprint_spellings_parse() {
    let digest = "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08";
    let colons: Vec<String> = digest
        .as_bytes()
        .chunks(2)
        .map(|pair| String::from_utf8(pair.to_vec()).unwrap())
        .collect();
    let lower = format!("sha256:{}", digest.to_lowercase());
    let fingerprint = Fingerprint::of(b"test");
    assert_eq!(fingerprint.to_string(), lower);
    for written in [
        lower.clone(),
        format!("SHA256:{digest}"),
        format!("sha256:{}", colons.join(":")),
    ] {
        assert_eq!(Fingerprint::parse(&written), Some(fingerprint), "{written}");
    }
    for written in [
        "",
        "sha256:",
        "sha1:00",
        &lower[..70],
        &format!("{lower}0"),
        "sha256:é",
    ] {
        assert_eq!(Fingerprint::parse(written), None, "{written}");
    }
}

#[test]
fn malformed_certificate_is_no_panic() {
    let identity = Identity::self_signed("host.example");
    let whole = identity.certificate();
    let facts = CertificateDetails::of(whole).unwrap();
    assert!(facts.is_self_signed);
    for end in 0..whole.len() {
        assert_eq!(CertificateDetails::of(&whole[..end]), None, "{end}");
        let mut bent = whole.to_vec();
        bent[end] = 0xff;
        let _ = CertificateDetails::of(&bent);
    }
}

#[test]
fn accepted_certificates_are_stored_as_lines() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data/trust.txt");
    assert_eq!(trust::load(&path).unwrap(), Pins::default());
    let (one, two) = (Fingerprint::of(b"one"), Fingerprint::of(b"two"));
    let pin = trust::save(&path, "h.example:70", one).unwrap();
    let today = pin.since.clone().unwrap();
    let line = format!("h.example:70 {one} {today}\n");
    let new = std::fs::read_to_string(&path).unwrap();
    assert!(
        new.starts_with("# ") && new.ends_with(&format!("\n{line}")),
        "{new}"
    );
    assert_eq!(trust::load(&path).unwrap().of("h.example:70"), Some(&pin));

    // Edited by hand: notes, invalid lines, one for another port, one without a date, no final line ending.
    let by_hand = format!(
        "# mine\r\n\nwhat is this?\n{line}[::1]:70  {two}  yesterday  a note\nH.example:7070\t{two}\n\u{e9}h.example:70 sha256:0"
    );
    std::fs::write(&path, &by_hand).unwrap();
    let pins = trust::load(&path).unwrap();
    assert_eq!(pins.of("h.example:70"), Some(&pin));
    let without_day = Pin {
        fingerprint: two,
        since: None,
    };
    assert_eq!(pins.of("h.example:7070"), Some(&without_day));
    assert_eq!(pins.of("[::1]:70"), Some(&without_day));
    assert_eq!(pins.of("other.example:70"), None);

    trust::save(&path, "h.example:70", two).unwrap();
    let changed = by_hand.replace(&line, &format!("h.example:70 {two} {today}\n"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), changed);
    trust::save(&path, "new.example:70", one).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        format!("{changed}\nnew.example:70 {one} {today}\n")
    );
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let error = trust::load(&path).unwrap_err().to_string();
    assert!(error.contains("trust.txt"), "{error}");
}
