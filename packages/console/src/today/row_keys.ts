import { useEffect } from 'react';

/** Keyboard shortcuts for rows. They work only while the focus is in a row; elsewhere letters have other meanings. */
export function useRowKeys(): void {
  useEffect(() => {
    const act = (event: KeyboardEvent): void => {
      const { target, key, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return;
      if (target.matches('input, select, textarea')) return;
      const row = target.closest('tr.row[data-tank]');
      if (row !== null && actOn(row, key.toLowerCase())) event.preventDefault();
    };
    document.addEventListener('keydown', act);
    return () => document.removeEventListener('keydown', act);
  }, []);
}

/** Does what the key means in this row. Returns false if it means nothing. */
function actOn(row: Element, key: string): boolean {
  switch (key) {
    case 'j':
      return goTo(row, 1);
    case 'k':
      return goTo(row, -1);
    case 'a':
      return click(row.querySelector<HTMLElement>('.c-act button'));
    case 'c':
      return click(row.querySelector<HTMLElement>('a[href^="tel:"]'));
    default:
      return false;
  }
}

function goTo(row: Element, step: number): boolean {
  const rows = [...document.querySelectorAll('tr.row[data-tank]')];
  rows[rows.indexOf(row) + step]?.querySelector<HTMLElement>('.tank-name a')?.focus();
  return true;
}

function click(element: HTMLElement | null): boolean {
  element?.focus(); // so that a form that the element opens can give the focus back to it
  element?.click();
  return element !== null;
}
