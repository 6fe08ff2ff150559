import { Link } from 'wouter';
import { useTranslation } from '../preferences_and_words.tsx';

/** Shown instead of a list of tanks or events while there is no tank. */
export function NoTanks() {
  const { fleet } = useTranslation();
  return (
    <p className="notice">
      {fleet.empty} <Link href="/">{fleet.firstSteps}</Link>
    </p>
  );
}
