import type { ReactNode } from 'react';

/** The problem of a form. It stays in the document without a text, so that screen readers notice a new one. */
export const FormProblem = ({ children }: { children: ReactNode }) => (
  <p role="alert" className="form-problem">
    {children}
  </p>
);
