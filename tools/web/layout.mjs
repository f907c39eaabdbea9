// What is wrong with the layout of the page that is open; runs inside the browser.

/** Faults, one sentence each: overflow, text outside its picture, labels on one another, labels too small to read. */
export function layout() {
  const SMALLEST = 9; // CSS pixels of a label
  const wrong = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    const wide = [...document.querySelectorAll("body *")]
      .filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1 && !e.closest(".wide, pre, svg"))
      .map((e) => `${e.tagName.toLowerCase()}.${e.className}`);
    wrong.push(`scrolls sideways by ${root.scrollWidth - root.clientWidth} px: ${wide.slice(0, 3).join(", ")}`);
  }
  document.querySelectorAll("svg").forEach((svg, k) => {
    const frame = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width > 0 ? frame.width / svg.viewBox.baseVal.width : 1;
    const labels = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim() !== "");
    const boxes = labels.map((t) => {
      const r = t.getBoundingClientRect();
      const upright = r.height > r.width && t.textContent.length > 3;
      const [x, y] = upright ? [0.15 * r.width, 0] : [0, 0.15 * r.height]; // a line box is higher than its letters
      return { text: t.textContent.trim(), left: r.left + x, right: r.right - x, top: r.top + y, bottom: r.bottom - y };
    });
    const name = svg.querySelector("title")?.textContent ?? `picture ${k + 1}`;
    for (const t of labels) {
      const size = parseFloat(getComputedStyle(t).fontSize) * scale;
      if (size < SMALLEST) {
        wrong.push(`${name}: label '${t.textContent.trim()}' is ${size.toFixed(1)} px high`);
        break;
      }
    }
    boxes.forEach((a, i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1) {
        wrong.push(`${name}: label '${a.text}' leaves the picture`);
      }
      for (const b of boxes.slice(i + 1)) {
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) {
          wrong.push(`${name}: labels '${a.text}' and '${b.text}' overlap`);
        }
      }
    });
  });
  return wrong;
}
