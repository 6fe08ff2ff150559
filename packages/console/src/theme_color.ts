import { useEffect, useState } from 'react';

/** A canvas cannot use CSS variables, so the colours of the theme are read from a probe. */
export function themeColor(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Counts changes of the theme, so that what is drawn on a canvas is drawn again. */
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
