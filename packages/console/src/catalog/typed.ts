import { useEffect, useState } from 'react';

/** The service is asked when the person pauses, not for each letter. */
const PAUSE_MS = 250;

/** What was typed, after a pause. */
export function useTyped(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
}
