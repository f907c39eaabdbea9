//! A table: names above columns, every column as wide as its widest entry.

/// Lines of a table; columns stand two blanks apart, their points in one place.
pub fn table(header: &[String], lines: &[Vec<String>]) -> String {
    let aligned: Vec<Vec<String>> = (0..header.len())
        .map(|k| crate::number::align(&lines.iter().map(|line| line[k].clone()).collect::<Vec<_>>()))
        .collect();
    let width = |k: usize| aligned[k].iter().chain([&header[k]]).map(|t| t.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: Vec<&String>| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(t, w)| format!("{t:<w$}")).collect();
        padded.join("  ").trim_end().to_owned() + "\n"
    };
    let mut out = line(header.iter().collect());
    (0..lines.len()).for_each(|row| out.push_str(&line(aligned.iter().map(|column| &column[row]).collect())));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_need() {
        let lines = [["10", "done"], ["2.5", "failed"]].map(|l| l.map(str::to_owned).to_vec());
        let text = table(&["d", "status"].map(str::to_owned), &lines);
        assert_eq!(text, "d     status\n10    done\n 2.5  failed\n");
    }
}
