//! Colors by day and by night, sizes, names for those who do not see the page.

use crate::report::small_run::page;
use crate::support::browser::Browser;
use serde_json::json;
use std::collections::BTreeMap;

/// Relative luminance contrast of two colors as `rgb(...)` (WCAG 2.2).
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |color: &str| {
        let digits = |c: char| !c.is_ascii_digit();
        let parts: Vec<f64> = color
            .split(digits)
            .filter_map(|part| part.parse().ok())
            .collect();
        let linear = |part: f64| {
            let share = part / 255.0;
            if share <= 0.040_45 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(parts[0]) + 0.7152 * linear(parts[1]) + 0.0722 * linear(parts[2])
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn light_and_dark_are_readable_and_a_button_changes_them() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&page());
    let color = |selector: &str, what: &str| {
        browser.text(&format!(
            "getComputedStyle(document.querySelector('{selector}'))['{what}']"
        ))
    };
    let mut grounds = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        let paper = color("body", "backgroundColor");
        let card = color("figure", "backgroundColor");
        browser.assert_readable(scheme);
        for line in [".line", ".dot"] {
            // Parts of drawings need 3 to 1.
            let what = if line == ".line" { "stroke" } else { "fill" };
            let found = contrast(&color(line, what), &card);
            assert!(found >= 3.0, "{scheme} {line}: {found:.2}");
        }
        grounds.push(paper);
    }
    assert_ne!(grounds[0], grounds[1]);
    let press = || browser.ask("document.querySelector('.theme').click()");
    press();
    assert_eq!(
        color("body", "backgroundColor"),
        grounds[0],
        "light, whatever the system prefers"
    );
    press();
    browser.prefer("light");
    assert_eq!(
        color("body", "backgroundColor"),
        grounds[1],
        "dark, whatever the system prefers"
    );
    press();
    assert_eq!(
        color("body", "backgroundColor"),
        grounds[0],
        "as the system prefers"
    );
}

/// Texts of charts that lie on each other.
const CROSSING_TEXTS: &str = "
    const crossing = [];
    for (const plot of document.querySelectorAll('.plot svg')) {
      const texts = [...plot.querySelectorAll('text')].map((one) => [one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
      texts.forEach(([one, box], index) => texts.slice(index + 1).forEach(([other, next]) => {
        const apart = box.right - 1 < next.left || next.right - 1 < box.left || box.bottom - 3 < next.top || next.bottom - 3 < box.top;
        if (!apart) crossing.push(`${plot.closest('figure').querySelector('figcaption').textContent}: ${one} | ${other}`);
      }));
    }
    return crossing;";

#[test]
fn a_phone_shows_all_of_it_and_controls_have_names() {
    let Some(browser) = Browser::start() else {
        return;
    };
    for width in [360, 1280] {
        browser.resize(width, 740);
        browser.open(&page());
        let wide = browser.number("document.documentElement.scrollWidth");
        assert!(wide <= f64::from(width), "{wide} of {width}");
        let shown = "main figure, main button, main select, #viewer .board";
        browser.assert_nothing_is_cut(shown, "main button", &width.to_string());
        let small = browser.number("Math.min(...[...document.querySelectorAll('.plot text')].map((one) => parseFloat(getComputedStyle(one).fontSize)))");
        assert!((12.0..100.0).contains(&small), "{small}");
        let crossing = browser.ask(CROSSING_TEXTS);
        assert_eq!(crossing, json!([]), "{width}");
    }
    browser.devtools("Accessibility.enable", &json!({}));
    let tree = browser.devtools("Accessibility.getFullAXTree", &json!({}));
    let mut seen = BTreeMap::new();
    for node in tree["nodes"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|node| node["ignored"] == false)
    {
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let wanted = [
            "button", "combobox", "slider", "checkbox", "image", "img", "figure", "region", "link",
        ];
        if wanted.contains(&role) {
            let name = node["name"]["value"].as_str().unwrap_or_default();
            assert!(!name.trim().is_empty(), "{role} without a name: {node}");
            *seen.entry(role.to_owned()).or_insert(0) += 1;
        }
    }
    for role in ["button", "combobox", "slider", "checkbox", "image"] {
        assert!(
            seen.get(role).is_some_and(|count| *count > 0),
            "{role}: {seen:?}"
        );
    }
    let bare = browser.ask("return [...document.querySelectorAll('main > section:not(#games) figure')].filter((one) => !one.querySelector('details table')).map((one) => one.querySelector('figcaption').textContent)");
    assert_eq!(bare, json!([]), "charts without a table behind them");
}
