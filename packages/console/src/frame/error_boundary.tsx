import { Component, type ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { useTranslation } from '../preferences_and_words.tsx';

/** Shows a sentence instead of an empty page if the console itself has an error. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Crash /> : this.props.children;
  }
}

function Crash() {
  const { problem } = useTranslation();
  return (
    <main className="narrow" role="alert">
      <p>{problem.crash}</p>
      <Button onClick={() => window.location.reload()}>{problem.reload}</Button>
    </main>
  );
}
