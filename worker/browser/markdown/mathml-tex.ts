/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";

export type MathmlTex = ReturnType<typeof mathmlTex>;

/** Runs in the page: converts presentation MathML without TeX of its author to TeX. */
export function mathmlTex(dom: DomTools) {
  const deepest = 60;
  const symbols = new Map<string, string>(
    (
      "α alpha β beta γ gamma δ delta ε varepsilon ϵ epsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda " +
      "μ mu ν nu ξ xi π pi ρ rho σ sigma ς varsigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta " +
      "Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Φ Phi Ψ Psi Ω Omega ∞ infty ∂ partial ∇ nabla ∑ sum ∏ prod ∐ coprod ∫ int " +
      "∬ iint ∭ iiint ∮ oint ± pm ∓ mp × times ÷ div ⋅ cdot · cdot ∘ circ ∙ bullet ⊕ oplus ⊗ otimes ≤ le ≥ ge ≠ ne " +
      "≈ approx ≡ equiv ∼ sim ≃ simeq ≅ cong ∝ propto ≪ ll ≫ gg ∈ in ∉ notin ∋ ni ⊂ subset ⊆ subseteq ⊃ supset ⊇ supseteq " +
      "∪ cup ∩ cap ∖ setminus ∅ emptyset ∀ forall ∃ exists ¬ neg ∧ land ∨ lor ⊢ vdash ⊥ perp ∥ parallel → to ← leftarrow " +
      "↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ⟹ implies ⟺ iff ↦ mapsto ↑ uparrow ↓ downarrow … dots " +
      "⋯ cdots ⋮ vdots ⋱ ddots ′ prime ″ prime\\prime ℓ ell ℏ hbar ℜ Re ℑ Im ℵ aleph ⟨ langle ⟩ rangle ⌊ lfloor ⌋ rfloor " +
      "⌈ lceil ⌉ rceil ‖ Vert √ surd ° circ † dagger ∣ mid"
    )
      .split(" ")
      .map((word, index, all) => [word, `\\${all[index + 1] ?? ""}`] as const)
      .filter((_, index) => index % 2 === 0),
  );
  for (const [letter, tex] of Object.entries({ ℝ: "R", ℂ: "C", ℕ: "N", ℤ: "Z", ℚ: "Q" })) {
    symbols.set(letter, `\\mathbb{${tex}}`);
  }
  for (const character of "{}%#&$_") symbols.set(character, `\\${character}`);
  symbols.set("−", "-").set("\\", "\\backslash").set("^", "\\hat{}").set("\u00a0", "\\ ");
  const functions =
    /^(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|arcsin|arccos|arctan|log|ln|exp|lim|max|min|sup|inf|det|dim|ker|deg|gcd|arg|Pr)$/;
  const limits = /^\\(?:sum|prod|coprod|lim|max|min|sup|inf|int|oint|bigcup|bigcap)$/;
  const alphabets: Record<string, string> = {
    bold: "mathbf",
    "double-struck": "mathbb",
    script: "mathcal",
    fraktur: "mathfrak",
    "sans-serif": "mathsf",
    monospace: "mathtt",
    "bold-italic": "boldsymbol",
  };
  const over: Record<string, string> = {
    "¯": "overline",
    "‾": "overline",
    "―": "overline",
    "^": "hat",
    ˆ: "hat",
    "~": "tilde",
    "˜": "tilde",
    "→": "vec",
    "⃗": "vec",
    "˙": "dot",
    "¨": "ddot",
    "⏞": "overbrace",
  };
  const under: Record<string, string> = { _: "underline", "̲": "underline", "⏟": "underbrace" };

  const text = (node: Node) =>
    // TeX has no invisible operators.
    (dom.textContent(node) ?? "")
      .replace(/[\u2061-\u2064]/g, "")
      .replace(/\s+/g, " ")
      .trim();
  const spell = (value: string) => join(Array.from(value, (one) => symbols.get(one) ?? one));
  const words = (value: string) => `\\text{${value.replace(/[\\{}$%#&_^~]/g, " ")}}`;

  /** Keeps the name of a command apart from the letter after it. */
  function join(pieces: string[]): string {
    let tex = "";
    let command = false;
    for (const piece of pieces) {
      if (!piece) continue;
      if (command && /^[A-Za-z]/.test(piece)) tex += " ";
      tex += piece;
      command = /\\[A-Za-z]+$/.test(piece.slice(-40));
    }
    return tex;
  }

  function token(element: Element, name: string): string {
    const value = text(element);
    if (!value) return name === "mtext" ? "\\ " : "";
    if (name === "mtext" || name === "ms") return words(value);
    if (name === "mn") return value.replace(/[{}%#&$_\\]/g, "");
    const alphabet = alphabets[dom.attribute(element, "mathvariant") ?? ""];
    if (functions.test(value)) return `\\${value}`;
    if (name === "mi" && Array.from(value).length > 1) {
      return `\\${alphabet ?? "mathrm"}{${spell(value)}}`;
    }
    return name === "mi" && alphabet ? `\\${alphabet}{${spell(value)}}` : spell(value);
  }

  function one(node: Element | undefined, depth: number): string {
    return node ? convert(node, depth + 1) : "";
  }

  const base = (tex: string) => (/^(?:.|\\[A-Za-z]+|)$/su.test(tex) ? tex : `{${tex}}`);

  function limit(
    kids: (Element | undefined)[],
    depth: number,
    above: Element | undefined,
    below: Element | undefined,
  ): string {
    const body = one(kids[0], depth);
    const [high, low] = [one(above, depth), one(below, depth)];
    if (limits.test(body)) return `${body}${low && `_{${low}}`}${high && `^{${high}}`}`;
    const accent = above && over[text(above)];
    const brace = below && under[text(below)];
    let tex = body;
    if (below) tex = brace ? `\\${brace}{${tex}}` : `\\underset{${low}}{${tex}}`;
    if (above) tex = accent ? `\\${accent}{${tex}}` : `\\overset{${high}}{${tex}}`;
    return tex;
  }

  function convert(element: Element, depth: number): string {
    const name = dom.localName(element);
    if (depth > deepest) return spell(text(element));
    if (/^(?:mi|mn|mo|mtext|ms)$/.test(name)) return token(element, name);
    const kids = dom.childElements(element);
    const [a, b, c] = kids;
    const get = (node: Element | undefined) => one(node, depth);
    switch (name) {
      case "mfrac":
        return dom.attribute(element, "linethickness")?.startsWith("0")
          ? `{${get(a)} \\atop ${get(b)}}`
          : `\\frac{${get(a)}}{${get(b)}}`;
      case "mroot":
        return `\\sqrt[${get(b)}]{${get(a)}}`;
      case "msub":
        return `${base(get(a))}_{${get(b)}}`;
      case "msup":
        return `${base(get(a))}^{${get(b)}}`;
      case "msubsup":
        return `${base(get(a))}_{${get(b)}}^{${get(c)}}`;
      case "munder":
        return limit(kids, depth, undefined, b);
      case "mover":
        return limit(kids, depth, b, undefined);
      case "munderover":
        return limit(kids, depth, c, b);
      case "mtable":
        return `\\begin{matrix} ${kids.map(get).join(" \\\\ ")} \\end{matrix}`;
      case "mtr":
      case "mlabeledtr":
        return kids.map(get).join(" & ");
      case "mspace":
        return "\\ ";
      case "mfenced": {
        const [open, close] = ["open", "close"].map((side) => dom.attribute(element, side));
        return `${spell(open ?? "(")}${kids.map(get).join(",")}${spell(close ?? ")")}`;
      }
      case "semantics":
      case "maction":
        return get(a);
      case "msqrt":
        return `\\sqrt{${join(kids.map(get))}}`;
      case "mphantom":
      case "annotation":
      case "annotation-xml":
      case "mprescripts":
      case "none":
        return "";
      default:
        return join(kids.map(get));
    }
  }

  return { of: (math: Element) => convert(math, 0).trim() };
}
