import { useEffect } from 'react';
import { useWords } from '../preferences.tsx';

export function useTitle(title: string): void {
  const { product } = useWords();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
}
