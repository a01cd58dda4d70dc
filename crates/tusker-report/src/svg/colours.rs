//! A scale of colours for numbers.

/// Viridis (van der Walt and Smith, 2015) at 17 even places: equal steps look equal,
/// from dark to light, also to who sees no red or no green, and in grey.
const VIRIDIS: [u32; 17] = [
    0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d, 0x2c728e, 0x26828e, 0x21918c,
    0x1f9f88, 0x27ad81, 0x3dbc74, 0x5cc863, 0x81d34d, 0xaadc32, 0xd5e21a, 0xfde725,
];

/// A colour of its own: red, green, blue.
pub(super) type Rgb = [u8; 3];

/// The colour of a share of the scale.
pub(super) fn viridis(share: f64) -> Rgb {
    let place = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let first = (place as usize).min(VIRIDIS.len() - 2);
    let part = place - first as f64;
    let [.., r, g, b] = VIRIDIS[first].to_be_bytes();
    let [.., red, green, blue] = VIRIDIS[first + 1].to_be_bytes();
    let between = |(a, b): (u8, u8)| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round();
    [(r, red), (g, green), (b, blue)].map(|pair| between(pair) as u8)
}

/// What is read on it: black or white.
pub(super) fn on(ground: Rgb) -> Rgb {
    // from here on black has more contrast than white (WCAG 2.2)
    if luminance(ground) > 0.179 { [0; 3] } else { [255; 3] }
}

/// Relative luminance (WCAG 2.2).
pub(super) fn luminance(colour: Rgb) -> f64 {
    let [r, g, b] = colour.map(|part| {
        let value = f64::from(part) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{DARK, LIGHT};

    #[test]
    fn between_its_places_it_is_the_published_scale() {
        // matplotlib's 256 colours, by number
        for (nth, rgb) in [
            (0_u8, [0x44, 0x01, 0x54]),
            (24, [0x48, 0x23, 0x74]),
            (88, [0x2f, 0x6b, 0x8e]),
            (200, [0x70, 0xcf, 0x57]),
            (231, [0xc0, 0xdf, 0x25]),
            (255, [0xfd, 0xe7, 0x25]),
        ] {
            let own = viridis(f64::from(nth) / 255.0);
            let off = own.iter().zip(rgb).map(|(a, b): (&u8, u8)| a.abs_diff(b)).max();
            assert!(off <= Some(3), "{nth}: {own:x?}");
        }
    }

    #[test]
    fn it_grows_lighter_all_the_way_and_numbers_on_it_are_read() {
        let shades: Vec<Rgb> = (0..=100).map(|i| viridis(f64::from(i) / 100.0)).collect();
        assert!(shades.windows(2).all(|pair| luminance(pair[0]) < luminance(pair[1])));
        for shade in shades {
            let (a, b) = (luminance(shade), luminance(on(shade)));
            // WCAG 2.2, 1.4.3: 4.5:1 for text
            assert!((a.max(b) + 0.05) / (a.min(b) + 0.05) >= 4.5, "{shade:x?}");
        }
    }

    fn luminance_of(colour: &str) -> f64 {
        let part = |at: usize| u8::from_str_radix(&colour[at..at + 2], 16).unwrap();
        luminance([part(1), part(3), part(5)])
    }

    #[test]
    fn colours_are_seen_on_their_ground() {
        // WCAG 2.2, 1.4.11: 3:1 for graphical objects; the grounds are those of
        // report/colours.css
        let contrast = |a: &str, b: &str| {
            let (a, b) = (luminance_of(a), luminance_of(b));
            (a.max(b) + 0.05) / (a.min(b) + 0.05)
        };
        let style = include_str!("../../../../report/colours.css");
        for (ground, colours) in [("#ffffff", LIGHT), ("#171b21", DARK)] {
            assert!(style.contains(&format!("--ground: {ground}")), "{ground}");
            for (nth, colour) in colours.iter().enumerate() {
                assert!(contrast(colour, ground) >= 3.0, "{colour} on {ground}");
                // light, and on paper; dark, by the system's wish and by the reader's
                assert_eq!(style.matches(&format!("--c{nth}: {colour};")).count(), 2, "{colour}");
            }
        }
    }
}
