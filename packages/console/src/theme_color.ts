import { useEffect, useState } from 'react';

/** Reads a color of the theme from a temporary element, because a canvas cannot use CSS variables. */
export function themeColor(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The number of changes of the theme. A component that draws on a canvas uses it to draw again. */
export function useThemeChanges(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const note = (): void => setCount((before) => before + 1);
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', note);
    window.addEventListener('themechange', note);
    return () => {
      dark.removeEventListener('change', note);
      window.removeEventListener('themechange', note);
    };
  }, []);
  return count;
}
