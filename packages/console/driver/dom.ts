type Child = Node | string | null | false;

/** Makes an element. Texts become text nodes, never markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | null>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== null) element.setAttribute(attribute, value);
  element.append(...children.filter((child) => child !== null && child !== false));
  return element;
}

export function button(id: string, className: string, onClick: () => void, ...children: readonly Child[]): HTMLElement {
  const element = make('button', { id, type: 'button', class: className }, ...children);
  element.addEventListener('click', onClick);
  return element;
}

/** A labeled field. The page is not drawn again while the driver types. */
export function textField(
  label: string,
  attributes: Readonly<Record<string, string | null>>,
  onType: (text: string) => void,
): HTMLElement {
  const input = make('input', { type: 'text', autocomplete: 'off', ...attributes });
  input.addEventListener('input', () => onType(input.value));
  return make('label', {}, label, input);
}

export const telOf = (number: string): string => `tel:${number.replaceAll(/[^\d+]/g, '')}`;

const SVG = 'http://www.w3.org/2000/svg';

const ICONS = {
  offline: 'M3 3l14 14M5 9a8 8 0 0 1 3-1.8M15 9a8 8 0 0 0-3.5-1.9M7.5 12a4.2 4.2 0 0 1 5 0M10 15.3v.01',
  navigate: 'M3.5 9.5L17 3l-6.5 13.5-1.5-5.5z',
  phone: 'M5 3h3l1.5 4-2 1.5a10 10 0 0 0 4 4l1.5-2 4 1.5v3c0 .6-.4 1-1 1C9.5 16 4 10.5 4 4c0-.6.4-1 1-1z',
  note: 'M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5M7.5 9.5h5.5M7.5 12.5h5.5',
  done: 'M4 10.5l4 4 8-9',
  failed: 'M5 5l10 10M15 5L5 15',
  stop: 'M10 2.5a7.5 7.5 0 1 1 0 15a7.5 7.5 0 1 1 0-15M6 10h8',
} as const;

export function icon(name: keyof typeof ICONS): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

/** Replaces the content, and keeps the focus and the selection in a field. */
export function show(parent: HTMLElement, ...children: readonly Child[]): void {
  const active = document.activeElement;
  const id = active?.id ?? '';
  const selection = active instanceof HTMLInputElement ? [active.selectionStart, active.selectionEnd] : null;
  parent.replaceChildren(...children.filter((child) => child !== null && child !== false));
  if (id === '') return;
  const again = document.getElementById(id);
  again?.focus({ preventScroll: true });
  if (selection !== null && again instanceof HTMLInputElement)
    again.setSelectionRange(selection[0] ?? null, selection[1] ?? null);
}
