//! The run beside the optimum: certified rays, what of the coefficient is on them, and the pictures.

use super::*;

/// Set G2 of the math notes, lambda = 0.05: certified optimum, its four rays and coefficients.
const G2: &str = "x,y\n-2,1\n-1,-1\n0,0.5\n1,1.5\n2,-0.5\n";
/// Set G7, lambda = 0.02.
const G7: &str = "a,b,y\n2,0.5,1\n-1,1.5,0.5\n0.5,-2,-1\n-1.5,-1,0.8\n1,2,-0.6\n0.2,0.1,0.3\n";

/// Rays with their coefficient and ternary pattern, sorted by coefficient.
fn rays(found: &Value) -> Vec<&Value> {
    let mut rays: Vec<&Value> = found["rays"]["rays"].as_array().expect("rays").iter().collect();
    rays.sort_by(|a, b| number(a, "/c").total_cmp(&number(b, "/c")));
    rays
}

/// Reference: the exact solver of the notes (gap below 1e-15); P and both bounds in closed form for five points on a line.
#[test]
fn the_coefficient_of_an_annealed_run_is_on_the_certified_rays() {
    let file = written("train_rays_g2", G2);
    let line = format!(
        "{} --target y --lambda 0.05 --beta 1000 --anneal 1e5 --step 0.05 --steps 8000 --width 500",
        file.display()
    );
    let found = answer(&line);
    assert_eq!(word(&found, "/rays/status"), "certified");
    assert!((number(&found, "/rays/objective") - 0.338_786_074_437_92).abs() < 1e-9);
    let reference: [(f64, [f64; 2], [i64; 5]); 4] = [
        (-2.065_863_991_823, [1.0, -1.0], [-1, -1, -1, 0, 1]),
        (-0.148_181_216_088, [-1.0, 1.0], [1, 1, 1, 0, -1]),
        (0.619_585_736_879, [1.0, 1.0], [-1, 0, 1, 1, 1]),
        (1.358_757_210_636, [-1.0, -1.0], [1, 0, -1, -1, -1]),
    ];
    let listed = rays(&found);
    assert_eq!(listed.len(), 4);
    for (ray, (c, u, pattern)) in listed.iter().zip(reference) {
        assert!((number(ray, "/c") - c).abs() < 1e-7, "{ray}");
        assert!((number(ray, "/w/0") - u[0] / 2f64.sqrt()).abs() < 1e-7);
        assert!((number(ray, "/b") - u[1] / 2f64.sqrt()).abs() < 1e-7);
        assert!((number(ray, "/kink") + u[1] / u[0]).abs() < 1e-6, "kink {ray}");
        let signs: Vec<i64> = ray["pattern"].as_array().expect("signs").iter().filter_map(Value::as_i64).collect();
        assert_eq!(signs, pattern);
        // the run: coefficients of the notes' runs are within 0.01, directions within 0.5 degrees
        assert!((number(ray, "/run") - c).abs() < 0.03, "{ray}");
        assert!(number(ray, "/degrees") < 1.0, "{ray}");
    }
    assert_eq!(number(&found, "/rays/patterns"), 10.0);
    assert_eq!(number(&found, "/rays/ray_bound"), 19.0);
    assert_eq!(number(&found, "/rays/ray_bound_proved"), 18.0);
    assert_eq!(found["rays"]["unique"], Value::Bool(true));
    let excess = number(&found, "/rays/excess");
    assert!((0.0..3e-3).contains(&excess), "{excess}");
    assert!((excess - (number(&found, "/objective") - number(&found, "/rays/lower_bound"))).abs() < 1e-15);
    assert_eq!(number(&found, "/effective_width"), 4.0);
    // exact law at beta = 1e3 and 1e5: at least .983, .994, .998 within 2, 5, 10 degrees
    let near: Vec<f64> = (0..3).map(|k| number(&found, &format!("/rays/near/{k}/coefficient"))).collect();
    assert!(near[0] > 0.97 && near[1] >= near[0] && near[2] >= near[1] && near[2] <= 1.0 + 1e-12, "{near:?}");
    // each group has its own ray, of its sign
    let groups = found["groups"].as_array().expect("groups");
    let mut of: Vec<u64> = groups.iter().filter_map(|g| g["ray"].as_u64()).collect();
    for g in groups {
        let ray = &found["rays"]["rays"][g["ray"].as_u64().expect("a ray") as usize];
        assert!(number(g, "/c") * number(ray, "/c") > 0.0 && number(g, "/degrees") < 1.0, "{g}");
    }
    of.sort_unstable();
    assert_eq!(of, [0, 1, 2, 3]);
    // the start is spread over the circle
    let record = found["record"].as_array().expect("a record");
    let (first, last) = (&record[0], &record[record.len() - 1]);
    assert!(number(first, "/on_rays") < 0.5 && number(last, "/on_rays") > 0.98, "{first}");
    assert!(first["arcs"].as_array().map_or(0, Vec::len) > 60 && last["arcs"].as_array().map_or(99, Vec::len) < 20);
    let said = unwrapped(&call(&line).out);
    assert!(said.contains("objective 0.3388 (certified)"), "{said}");
    assert!(said.contains("no optimum has more than 18 (10 patterns)"), "{said}");
}

/// The shares, computed once more from the neurons in the picture's numbers: by coefficient, not by count.
#[test]
fn shares_are_those_of_the_neurons() {
    let file = written("train_rays_g7", G7);
    let svg = file.with_extension("svg");
    let line = format!("{} --target y --lambda 0.02 --beta 1e3 --step 0.05 --steps 3000 --width 400", file.display());
    let found = answer(&format!("{line} --plot {}", svg.display()));
    // reference coefficients of the notes
    let reference = [-0.543_309_277_724, -0.368_267_126_078, 0.664_143_184_376, 0.688_698_238_152];
    let listed = rays(&found);
    near(&listed.iter().map(|t| number(t, "/c")).collect::<Vec<f64>>(), &reference, 1e-6, "coefficients");
    assert_eq!(number(&found, "/rays/ray_bound"), 63.0);
    let text = fs::read_to_string(file.with_extension("plot.csv")).expect("numbers");
    assert!(text.starts_with("a,b,bias,c\n"), "{text}");
    let (mut all, mut close, mut count) = (0.0, 0.0, 0.0);
    let mut negative = 0;
    for neuron in text.lines().skip(1) {
        let v: Vec<f64> = neuron.split(',').map(|t| t.parse().expect("a number")).collect();
        let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        let weight = v[3].abs() * length;
        all += weight;
        negative += usize::from(v[3] < 0.0);
        let belongs = listed.iter().any(|t| {
            let along = v[0] * number(t, "/w/0") + v[1] * number(t, "/w/1") + v[2] * number(t, "/b");
            v[3] * number(t, "/c") > 0.0 && along / length >= 10f64.to_radians().cos()
        });
        if belongs {
            close += weight;
            count += 1.0;
        }
    }
    assert!((number(&found, "/rays/near/2/coefficient") - close / all).abs() < 1e-9, "{}", close / all);
    assert!((number(&found, "/rays/near/2/neurons") - count / 400.0).abs() < 1e-9);
    assert!(close / all > count / 400.0, "light neurons are away from the rays");
    let picture = fs::read_to_string(&svg).expect("a picture");
    // a mark for every neuron, in the colour of its sign
    let after = picture.split("neurons with c &lt; 0</title>").nth(1).expect("negative neurons");
    let marks = after.split("</g>").next().expect("a group");
    assert_eq!((marks.matches("<circle").count(), marks.matches("#0072B2").count()), (negative, 0));
    for part in ["bias &gt; 0", "bias &lt; 0", "ray 4", "neurons with c &lt; 0", "role=\"img\""] {
        assert!(picture.contains(part), "{part}");
    }
}

#[test]
fn one_feature_shows_the_fit_and_the_circle() {
    let file = written("train_picture_line", G2);
    let svg = file.with_extension("svg");
    let line = format!("{} --target y --lambda 0.05 --step 0.05 --steps 300 --width 100", file.display());
    let called = call(&format!("{line} --plot {}", svg.display()));
    assert_eq!(called.code, 0, "{}", called.err);
    assert!(called.out.lines().all(|l| l.chars().count() <= 80), "{}", called.out);
    let picture = fs::read_to_string(&svg).expect("a picture");
    for part in
        ["the trained function", "kink of the optimum at", "kink of a group at", "angle of (weight, bias)", "ray 1"]
    {
        assert!(picture.contains(part), "{part}");
    }
    let numbers = fs::read_to_string(file.with_extension("plot.csv")).expect("numbers");
    assert_eq!(numbers.lines().next(), Some("x,y,fitted"));
    assert_eq!(numbers.lines().count(), 6);
    let png = file.with_extension("png");
    assert_eq!(call(&format!("{line} --plot {}", png.display())).code, 0);
    assert!(fs::read(&png).expect("a picture").starts_with(b"\x89PNG"));
    let diverged = format!("{} --target y --lambda 0.1 --beta inf --step 1e4 --steps 500", file.display());
    let gone = call(&format!("{diverged} --plot {}", file.with_extension("gone.svg").display()));
    assert!(unwrapped(&gone.err).contains("not drawn"), "{}", gone.err);
    assert!(!file.with_extension("gone.svg").exists());
}

#[test]
fn there_are_no_rays_of_another_problem() {
    let file = written("train_rays_none", G2);
    let line = format!("{} --target y --steps 20 --width 20", file.display());
    for more in ["--unit smooth:10,100", "--layers inner", "--beta inf --lambda 0", "--beta inf --bias free"] {
        let found = answer(&format!("{line} {more}"));
        assert!(found["rays"].is_null() && found["record"][0]["on_rays"].is_null(), "{more}");
    }
    // ten features: on request alone
    let many = "examples/data/diabetes.csv --target progression --scale standardise --target-scale standardise \
                --lambda 0.9max --steps 50 --width 30";
    let svg = file.with_extension("svg");
    let found = answer(&format!("{many} --plot {}", svg.display()));
    assert!(found["rays"].is_null() && !found["groups"].is_null());
    assert!(fs::read_to_string(&svg).expect("a picture").contains("effective width, neurons"));
    let asked = answer(&format!("{many} --rays"));
    assert!(number(&asked, "/rays/lower_bound") <= number(&asked, "/rays/objective"));
    assert!(number(&asked, "/rays/excess") > 0.0);
}
