import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/** The link that was followed on each page, by the address of the page. */
const followed = new Map<string, string>();
const RESTORE_MS = 3_000;

/**
 * Sets the focus for people who use the keyboard or a screen reader. On a new page the content gets the focus. After going
 * back, the link that was followed gets it, as when a browser loads pages.
 */
export function useNavigationFocus(): void {
  const [path] = useLocation();
  const shown = useRef(path);
  const isGoingBack = useRef(false);

  useEffect(() => {
    const note = ({ target }: MouseEvent): void => {
      const link = target instanceof Element ? target.closest('main a[href]') : null;
      if (link !== null) followed.set(window.location.href, link.getAttribute('href') ?? '');
    };
    const onBack = (): void => {
      if (window.location.hash !== '') return; // a jump within the page
      isGoingBack.current = true;
      const href = followed.get(window.location.href);
      if (href !== undefined) focusLink(href, Date.now() + RESTORE_MS);
    };
    document.addEventListener('click', note, true);
    window.addEventListener('popstate', onBack);
    return () => {
      document.removeEventListener('click', note, true);
      window.removeEventListener('popstate', onBack);
    };
  }, []);

  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    if (!isGoingBack.current) {
      window.scrollTo(0, 0);
      document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true });
    }
    isGoingBack.current = false;
  }, [path]);
}

/** Focuses a link. Tries again until `untilMs`, because the page may still be loading or hidden. */
function focusLink(href: string, untilMs: number): void {
  const link = [...document.querySelectorAll<HTMLElement>('main a[href]')].find(
    (one) => one.getAttribute('href') === href,
  );
  link?.focus();
  if ((link === undefined || document.activeElement !== link) && Date.now() < untilMs)
    requestAnimationFrame(() => focusLink(href, untilMs));
}
