//! The arguments of `tusker report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Make a report, or a figure for a paper, from stored results.
#[derive(Debug, Args)]
#[command(after_help = "\
The report is one HTML file that needs no network. `tusker run` and `tusker compare
--out` write it by themselves; several folders are compared in one report.

Examples:
  tusker report results/dumbbell                       results/dumbbell/report.html
  tusker report results/reno results/hstcp --out both.html
  tusker report results/dumbbell --list                the names of its figures
  tusker report results/dumbbell --figure time --svg time.svg
  tusker report results/dumbbell --figure time.cwnd --png cwnd.png
  tusker report results/dumbbell --figure time.cwnd --pdf cwnd.pdf --width 3.5
  tusker report results/dumbbell --figure time.cwnd --pdf cwnd.pdf --x-range 10..20
  tusker report results/dumbbell --figure time.cwnd --data cwnd.csv
  tusker report results/ghstcp --figure paper-fairness --svg fairness.svg

--data writes all points of a figure, those outside of --x-range and --y-range as well,
with units in the heads of the columns: one column for each curve over time or of a
distribution, one row for each point of any other figure. The caption of a figure,
which stands on the page and is printed with the names of the files, says what a band is
and which columns of the stored results are drawn.")]
pub struct ReportArgs {
    /// Folders of results or of `kernel watch --out`, a folder of these as `compare --out`
    /// makes it, or just one folder of a sweep, a plan or a reproduction
    #[arg(value_name = "DIR", required = true)]
    pub dirs: Vec<PathBuf>,
    /// File for the report [default: report.html in the folder, or in the current one if
    /// there are several]. --report is the same, as in `compare`
    #[arg(long, visible_alias = "report", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replicate to show over time [default: the first that was traced]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub replicate: Option<u32>,
    /// List the names of the figures and write nothing
    #[arg(long, conflicts_with_all = ["out", "figure"])]
    pub list: bool,
    /// Draw only this figure, into the files that --svg, --png, --pdf and --data name
    #[arg(long, value_name = "NAME", conflicts_with = "out")]
    pub figure: Option<String>,
    /// File for the figure as SVG
    #[arg(long, value_name = "FILE", requires = "figure")]
    pub svg: Option<PathBuf>,
    /// File for the figure as PNG, 300 pixels per inch
    #[arg(long, value_name = "FILE", requires = "figure")]
    pub png: Option<PathBuf>,
    /// File for the figure as PDF, with text as text
    #[arg(long, value_name = "FILE", requires = "figure")]
    pub pdf: Option<PathBuf>,
    /// File for the points of the figure as CSV, for another program to draw
    #[arg(long, value_name = "FILE", requires = "figure")]
    pub data: Option<PathBuf>,
    /// Other words for a name in the figure: an axis, a curve, a panel (repeatable)
    #[arg(long, value_name = "NAME=TEXT", requires = "figure")]
    pub label: Vec<String>,
    /// Width of the figure in inches: 3.5 for one of two columns. Text is 8.6 points
    /// high at any width
    #[arg(long, value_name = "INCHES", requires = "figure", default_value_t = 7.2)]
    #[arg(value_parser = inches, allow_hyphen_values = true)]
    pub width: f64,
    /// Height of the figure in inches [default: as its panels need it]
    #[arg(long, value_name = "INCHES", requires = "figure")]
    #[arg(value_parser = height, allow_hyphen_values = true)]
    pub height: Option<f64>,
    /// Ends of the horizontal axis, in the unit that the axis has, such as 0..20. What lies
    /// beyond is cut off, and a note says how many points do
    #[arg(long, value_name = "A..B", requires = "figure")]
    #[arg(value_parser = range, allow_hyphen_values = true)]
    pub x_range: Option<(f64, f64)>,
    /// Ends of the vertical axis, in the same way
    #[arg(long, value_name = "A..B", requires = "figure")]
    #[arg(value_parser = range, allow_hyphen_values = true)]
    pub y_range: Option<(f64, f64)>,
    /// Where the keys of curves stand [default: at their ends where there is room, or above]
    #[arg(long, value_enum, value_name = "PLACE", requires = "figure")]
    pub legend: Option<Keys>,
}

/// Where the keys of curves stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keys {
    /// Above all panels
    Above,
    /// In a list at the right
    Right,
    /// Within the first panel, where the least is drawn
    Inside,
    /// Nowhere
    None,
}

/// A width on the command line, in inches.
fn inches(text: &str) -> Result<f64, String> {
    let width = length(text).filter(|width| (2.0..=40.0).contains(width));
    width.ok_or_else(|| "write a number of inches from 2 to 40, such as 3.5".to_owned())
}

/// A height on the command line, in inches.
fn height(text: &str) -> Result<f64, String> {
    let height = length(text).filter(|height| (0.8..=40.0).contains(height));
    height.ok_or_else(|| "write a number of inches from 0.8 to 40, such as 2.5".to_owned())
}

fn length(text: &str) -> Option<f64> {
    text.trim().trim_end_matches("in").trim_end().parse().ok()
}

/// Two ends on the command line.
fn range(text: &str) -> Result<(f64, f64), String> {
    let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    let ends = text.split_once("..").and_then(|(low, high)| number(low).zip(number(high)));
    let ends = ends.filter(|(low, high)| low < high);
    ends.ok_or_else(|| {
        "write two numbers, the smaller one first, in the unit of the axis: 0..20".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_an_axis_are_two_numbers_in_order() {
        assert_eq!(range("0..20"), Ok((0.0, 20.0)));
        assert_eq!(range("-1.5 .. .5"), Ok((-1.5, 0.5)));
        for wrong in ["20..0", "1..1", "1", "..2", "a..b", "0..inf", "1..2..3"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
