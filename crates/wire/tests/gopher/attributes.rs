//! Gopher+ attributes of items.

use geomys_wire::protocol::gopher::attributes::{Attributes, Block, Field, View, items};
use geomys_wire::protocol::gopher::form::{FieldKind, Form};
use geomys_wire::protocol::gopher::refusal;
use proptest::prelude::*;

fn only(data: &[u8]) -> Attributes<'_> {
    let all: Vec<Attributes<'_>> = items(data).collect();
    assert_eq!(all.len(), 1, "{}", data.escape_ascii());
    all[0]
}

/// The fields of the block with the maintainer and the date.
fn admin<'a>(item: &Attributes<'a>) -> Vec<Field<'a>> {
    let lines = item.block(b"ADMIN").into_iter().flat_map(|it| it.lines());
    lines.map(Field::parse).collect()
}

/// The field of that block with this name.
fn admin_field<'a>(item: &Attributes<'a>, name: &[u8]) -> Field<'a> {
    let mut fields = admin(item).into_iter();
    let field = fields.find(|field| field.name.eq_ignore_ascii_case(name));
    field.unwrap()
}

fn views<'a>(item: &Attributes<'a>) -> Vec<View<'a>> {
    let lines = item.block(b"VIEWS").into_iter().flat_map(|it| it.lines());
    lines.filter_map(View::parse).collect()
}

fn summary<'a>(item: &Attributes<'a>) -> Option<Block<'a>> {
    item.block(b"ABSTRACT")
}

#[test]
fn attributes_of_pygopherd_parse() {
    let data = b"+INFO: 1\t/\tlocalhost\t47170\t+\r\n+ADMIN:\r\n Admin: An Admin <a@localhost>\r\n \
        Mod-Date: Fri Nov 20 08:10:09 2026 <20261120081009>\r\n+VIEWS:\r\n application/gopher+-menu:\r\n";
    let item = only(data);
    let info = item.info().unwrap();
    assert_eq!(
        (info.gtype, info.name, info.selector),
        (b'1', &b""[..], &b"/"[..])
    );
    assert_eq!(
        (info.host, info.port, info.plus),
        (&b"localhost"[..], 47170, Some(&b"+"[..]))
    );
    let date = admin_field(&item, b"mod-date");
    assert_eq!(date.value, b"Fri Nov 20 08:10:09 2026 <20261120081009>");
    assert_eq!(date.bracketed(), Some(&b"20261120081009"[..]));
    let names: Vec<&[u8]> = admin(&item).iter().map(|field| field.name).collect();
    assert_eq!(names, [&b"Admin"[..], b"Mod-Date"]);
    assert_eq!(
        admin_field(&item, b"Admin").bracketed(),
        Some(&b"a@localhost"[..])
    );
    let views = views(&item);
    assert_eq!(views.len(), 1);
    assert_eq!(views[0].mime, b"application/gopher+-menu");
    assert_eq!((views[0].size, views[0].octets()), (None, None));
    let unknown = (item.block(b"ASK"), item.block(b"URL"));
    assert_eq!((summary(&item), unknown), (None, (None, None)));
}

#[test]
fn attributes_of_gophernicus_and_minnesota_parse() {
    // Gophernicus sends attributes for its root only, and its items are not Gopher+ items.
    let root = only(b"+INFO: 1Main menu\t\tlocalhost\t70\r\n+VIEWS:\r\n application/gopher+-menu: <512b>\r\n.\r\n");
    assert_eq!(
        (root.info().unwrap().name, root.info().unwrap().plus),
        (&b"Main menu"[..], None)
    );
    assert_eq!(views(&root)[0].octets(), Some(512));
    assert_eq!(root.blocks().count(), 2);
    // The example of the paper, section 2.8: +ADMIN without its colon, and lines that are indented further.
    let shock = only(
        b"+INFO: 0inquisitive\tmoo moo selector\thost2\t70\t+\r\n+ADMIN\r\n Admin: Frank Gophermeister <fng@bogus.edu>\r\n \
        Mod-Date: August 15, 1992 <19920815185503>\r\n+ASK: \r\n  Ask: How many volts?\r\n  \
        Choose: Deliver electric shock to administrator now?\tYes\tNot!\r\n",
    );
    assert_eq!(admin(&shock).len(), 2);
    let form = Form::parse(shock.block(b"ASK").unwrap().lines());
    assert_eq!(form.fields.len(), 2);
    assert_eq!(
        form.fields[1].kind,
        FieldKind::Choose(vec![b"Yes", b"Not!"])
    );
}

#[test]
fn malformed_attribute_blocks_parse() {
    // +INFO without its colon, as the servers of Minnesota begin their root; a name with a colon in it.
    let info = only(b"+INFO 1Test: it\t/t\th\t70\t?\r\n+ADMIN\r\n Admin: x\r\n").info();
    let info = info.unwrap();
    assert_eq!((info.name, info.plus), (&b"Test: it"[..], Some(&b"?"[..])));
    let item = only(
        b"+INFO:1T\t\t\t\r\n+Views: \r\n text/plain: <1k>\r\n+3D:\r\n  spaced\r\n+abstract: 0Long\t/l\th\t71\t+\r\n\
        +VERONICA: no\r\n treeyes\r\n+KEYWORDS:\n a b\n c\n.\r\n",
    );
    assert_eq!(item.info().unwrap().name, b"T");
    let names: Vec<&[u8]> = item.blocks().map(|block| block.name).collect();
    assert_eq!(
        names,
        [
            &b"INFO"[..],
            b"Views",
            b"3D",
            b"abstract",
            b"VERONICA",
            b"KEYWORDS"
        ]
    );
    assert_eq!(item.block(b"views").unwrap().value, b"");
    assert_eq!(views(&item).len(), 1);
    let lines = |name| item.block(name).unwrap().lines().collect::<Vec<_>>();
    assert_eq!(lines(b"3d"), [b" spaced"]);
    assert_eq!(lines(b"keywords"), [&b"a b"[..], b"c"]);
    assert_eq!(item.block(b"veronica").unwrap().value, b"no");
    let block = summary(&item).unwrap();
    assert_eq!(block.lines().count(), 0);
    let long = block.descriptor().unwrap();
    assert_eq!((long.selector, long.port), (&b"/l"[..], 71));
    let both = only(b"+INFO: 1T\t\t\t\r\n+ABSTRACT: 0Long\t/l\th\t71\r\n here\r\nno space\r\n");
    assert_eq!(
        summary(&both).unwrap().lines().collect::<Vec<_>>(),
        [&b"here"[..], b"no space"]
    );
    // +URL on the header line and below it.
    for url in [
        &b"+URL: http://h/\r\n"[..],
        b"+URL:\r\n http://h/\r\n",
        b"+url \n  http://h/ \n",
    ] {
        let block = only(url).block(b"URL").unwrap();
        let mut values = block.lines().chain([block.value]).map(<[u8]>::trim_ascii);
        assert_eq!(
            values.find(|value| !value.is_empty()),
            Some(&b"http://h/"[..])
        );
    }
}

#[test]
fn views_parse_into_type_language_and_size() {
    let view = |line: &'static [u8]| View::parse(line).unwrap();
    let whole = view(b"application/postscript De_DE: <100k> on heavy paper");
    assert_eq!(whole.name, b"application/postscript De_DE");
    assert_eq!(whole.mime, b"application/postscript");
    assert_eq!(whole.language, Some(&b"De_DE"[..]));
    assert_eq!(whole.size, Some(&b"100k"[..]));
    assert_eq!(whole.octets(), Some(102_400));
    assert_eq!(whole.comment, b"on heavy paper");
    for (line, octets) in [
        (&b"Text/plain: <10k>"[..], Some(10_240)),
        (b"Text/plain: <45K>", Some(46_080)),
        (b"Text/plain: <.0k>", Some(0)),
        (b"Text/plain: <1.5k>", Some(1536)),
        (b"Text/plain: <512b>", Some(512)),
        (b"Text/plain: <0k>", Some(0)),
        (b"Text/plain: <77>", Some(77)),
        (b"Text/plain: < 2 M >", Some(2_097_152)),
        (b"Text/plain:", None),
        (b"Text/plain", None),
        (b"Text/plain <3k>", Some(3072)),
        (b"Text/plain: <>", None),
        (b"Text/plain: <.>", None),
        (b"Text/plain: <much>", None),
        (b"Text/plain: <99999999999999999999k>", None),
        (b"Text/plain: <18446744073709551615k>", None),
    ] {
        let view = view(line);
        assert_eq!(view.octets(), octets, "{}", line.escape_ascii());
        assert_eq!((view.mime, view.language), (&b"Text/plain"[..], None));
    }
    assert_eq!(View::parse(b"  "), None);
}

#[test]
fn directory_attributes_list_each_item() {
    // From the paper, section 2.7, and a row of information between.
    let data = b"+INFO: 0Salmon dogs\tsome selector\thost2\t70\t+\r\n+ADMIN:\r\n Admin: Frodo Gophermeister <fng@bogus.edu> \r\n \
        Mod-Date: August 15, 1992 <19920815185503>\r\n+VIEWS: \r\n Text/plain: <10k>\r\n application/Postscript De_DE: <100k>\r\n\
        +ABSTRACT: \r\n A great recipe for making salmon\r\n+INFO: i---\t\tnull.host\t1\r\n\
        +INFO: 0Hot pups\tother selector\thost3\t70\t+\r\n+ADMIN:\r\n Admin: Bilbo Gophernovice <bng@bogus.edu> \r\n \
        Date: <19910101080003>\r\n";
    let all: Vec<Attributes<'_>> = items(data).collect();
    let names: Vec<&[u8]> = all.iter().map(|item| item.info().unwrap().name).collect();
    assert_eq!(names, [&b"Salmon dogs"[..], b"---", b"Hot pups"]);
    assert_eq!(views(&all[0])[1].language, Some(&b"De_DE"[..]));
    assert_eq!(all[1].blocks().count(), 1);
    let date = admin_field(&all[2], b"date");
    assert_eq!(date.bracketed(), Some(&b"19910101080003"[..]));
    assert!(items(b"a plain text\r\nof two lines\r\n").next().is_none());
    assert!(items(b"").next().is_none());
}

proptest! {
    #[test]
    fn any_octets_parse_as_attributes_without_panic(
        lines in proptest::collection::vec(
            (prop_oneof!["\\+", " ", "\\+INFO: ", "\\+ASK:", "\\+VIEWS", "[0-9] "], proptest::collection::vec(any::<u8>(), 0..20)),
            0..12,
        ),
    ) {
        let octets: Vec<u8> = lines.into_iter().flat_map(|(start, rest)| [start.into_bytes(), rest, b"\n".to_vec()].concat()).collect();
        let _ = refusal(&octets);
        let mut read = 0;
        for item in items(&octets) {
            for block in item.blocks() {
                read += block.lines().count();
            }
            let form = item.block(b"ASK").map(|block| Form::parse(block.lines()));
            let _ = (item.info(), summary(&item), form, item.block(b"URL"));
            for view in views(&item) {
                let _ = view.octets();
            }
            for field in admin(&item) {
                let _ = field.bracketed();
            }
        }
        prop_assert!(read <= octets.split(|&octet| octet == b'\n').count());
        // Items lie one after the other, and nothing between them is lost.
        let all: Vec<u8> = items(&octets).flat_map(|item| item.octets().to_vec()).collect();
        prop_assert!(octets.ends_with(&all));
    }
}
