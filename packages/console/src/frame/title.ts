import { useEffect } from 'react';
import { useTranslation } from '../preferences_and_words.tsx';

export function useTitle(title: string): void {
  const { product } = useTranslation();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
}
