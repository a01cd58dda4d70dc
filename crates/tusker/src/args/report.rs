//! The arguments of `tusker report`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// Make a report, or a figure for a paper, from stored results.
#[derive(Debug, Args)]
#[command(after_help = "\
The report is a single HTML file, which can be read without a network. `tusker run` and
`tusker compare --out` write a report without being asked. A report on several folders
compares their results.

Examples:
  tusker report results/dumbbell                       results/dumbbell/report.html
  tusker report results/reno results/hstcp --out both.html
  tusker report results/dumbbell --with iperf.json     beside what was measured
  tusker report results/dumbbell --list                the names of its figures
  tusker report results/dumbbell --figure time --svg time.svg
  tusker report results/dumbbell --figure time.cwnd --png cwnd.png
  tusker report results/dumbbell --figure time.cwnd --pdf cwnd.pdf --width 3.5
  tusker report results/dumbbell --figure time.cwnd --pdf cwnd.pdf --x-range 10..20
  tusker report results/dumbbell --figure time.cwnd --data cwnd.csv
  tusker report buffers --figure utilisation-dumbbell-queue --pdf buffers.pdf \\
    --label cubic=CUBIC --label buffer='bottleneck buffer'    keeps the unit of the axis
  tusker report buffers --figure utilisation-dumbbell-queue --pdf buffers.pdf --line 95 \\
    --caption buffers.txt
  tusker report results/ghstcp --figure paper-fairness --svg fairness.svg

For a sweep, --figure also takes the full name of any measure of `tusker list measure`,
such as groups.flow.rtt_p95_s, which is drawn against the first varied number. If several
numbers are varied, groups.flow.rtt_p95_s-dumbbell.queue draws it against dumbbell.queue.

--data writes all points of a figure, also those outside of --x-range and --y-range. The
column headings include the units. For curves over time and distributions there is one
column for each curve; for any other figure there is one row for each point. When the
figure's files are written, its caption, the columns of the stored results that it shows
and the commands that made it are printed; --caption writes them to a file. In the
figure's files, each curve of a sweep has its own dash pattern, so that curves can be told
apart without colours.")]
pub struct ReportArgs {
    /// Folders of results of `run`, `testbed` or `kernel watch --out`; or a folder of
    /// `compare --out`; or a single folder of a sweep, a plan or a reproduction
    #[arg(value_name = "DIR", required = true)]
    pub dirs: Vec<PathBuf>,
    /// File for the report [default: report.html in the folder; for several folders,
    /// report.html in the current folder]. --report means the same, as in `compare`
    #[arg(long, visible_alias = "report", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// File of another tool (iperf3's JSON, Flent, qlog, a packet capture, ss): its goodput,
    /// congestion window and round trips are drawn over time beside the simulated ones
    /// (repeatable)
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// The connection of a capture, of lines of ss, of qlog or of Flent, given to --with: its
    /// number or a part of its addresses or name, such as :5201 [default: of captures and ss the
    /// one with most data]
    #[arg(long, visible_alias = "connection", requires = "with")]
    pub flow: Option<String>,
    /// Address of a live page (`make page`), such as `https://example.org/live/`: the report links
    /// its runs to it. Without it, the report names the command that opens a run
    #[arg(long, value_name = "URL", value_parser = address)]
    #[arg(conflicts_with_all = ["list", "figure"])]
    pub live: Option<String>,
    /// Replicate that the curves over time show [default: the first one with stored time
    /// series]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub replicate: Option<u32>,
    /// List the names of the figures and write nothing
    #[arg(long, conflicts_with_all = ["out", "figure"])]
    pub list: bool,
    /// How --list prints the names
    #[arg(long, value_enum, default_value_t, requires = "list")]
    pub format: Format,
    /// Draw only this figure, into the files that --svg, --png, --pdf and --data name
    #[arg(long, value_name = "NAME", conflicts_with = "out")]
    pub figure: Option<String>,
    /// File for the figure as SVG
    #[arg(long, value_name = "FILE", requires = "figure")]
    pub svg: Option<PathBuf>,
    /// File for the figure as PNG, 300 pixels per inch
    #[arg(long, value_name = "FILE", requires = "figure")]
    pub png: Option<PathBuf>,
    /// File for the figure as PDF, in which text can be selected and searched
    #[arg(long, value_name = "FILE", requires = "figure")]
    pub pdf: Option<PathBuf>,
    /// File for the points of the figure as CSV, for another program to draw
    #[arg(long, value_name = "FILE", requires = "figure")]
    pub data: Option<PathBuf>,
    /// File for the caption of the figure and the commands that made it, as text
    #[arg(long, value_name = "FILE", requires = "figure")]
    pub caption: Option<PathBuf>,
    /// Draw a dashed line at this value of the vertical axis, in its unit, such as 95; for
    /// the curves of a sweep
    #[arg(long, value_name = "VALUE", requires = "figure", allow_negative_numbers = true)]
    pub line: Option<f64>,
    /// Print TEXT instead of the name of an axis, curve or panel in the figure (repeatable)
    #[arg(long, value_name = "NAME=TEXT", requires = "figure")]
    pub label: Vec<String>,
    /// Width of the figure in inches, from 2 to 40; 3.5 suits one column of a two-column
    /// page. Text is 8.6 points high at any width [default: 7.2]
    #[arg(long, value_name = "INCHES", requires = "figure")]
    #[arg(value_parser = inches, allow_hyphen_values = true)]
    pub width: Option<f64>,
    /// Ends of the horizontal axis, in the unit of the axis, such as 0..20. Points outside
    /// are cut off
    #[arg(long, value_name = "A..B", requires = "figure")]
    #[arg(value_parser = range, allow_hyphen_values = true)]
    pub x_range: Option<(f64, f64)>,
    /// Ends of the vertical axis, in the unit of the axis; works as --x-range does
    #[arg(long, value_name = "A..B", requires = "figure")]
    #[arg(value_parser = range, allow_hyphen_values = true)]
    pub y_range: Option<(f64, f64)>,
    /// Print neither the names of the files written nor the caption of a figure
    #[arg(long, short)]
    pub quiet: bool,
}

/// The address of a page: of the web, or a path.
fn address(text: &str) -> Result<String, String> {
    let text = text.split('#').next().unwrap_or_default();
    let scheme = text.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        None | Some("http" | "https" | "file") if !text.is_empty() => Ok(text.to_owned()),
        _ => Err("not the address of a page: https://..., http://..., or a path".to_owned()),
    }
}

/// A width on the command line, in inches.
fn inches(text: &str) -> Result<f64, String> {
    let width = text.trim().trim_end_matches("in").trim_end().parse().ok();
    let width = width.filter(|width| (2.0..=40.0).contains(width));
    width.ok_or_else(|| "write a number of inches from 2 to 40, such as 3.5".to_owned())
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
