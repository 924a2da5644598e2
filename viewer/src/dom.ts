// Elements by name and content. Text is always text: nothing of a scene is ever read as HTML.

type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(
  name: K, attributes: Attributes = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const out = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") out.addEventListener(key, value);
    else if (value === true) out.setAttribute(key, "");
    else if (value !== false) out.setAttribute(key, value);
  }
  out.append(...children);
  return out;
}

export function save(name: string, content: Blob): void {
  const link = el("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A colour of the style sheet, as it is now (light or dark). */
export function colour(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}
