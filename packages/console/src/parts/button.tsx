import type { ButtonHTMLAttributes } from 'react';

/** A button that looks like one. It sends no form, unless its type is `submit`. */
export const Button = ({ className = '', ...attributes }: ButtonHTMLAttributes<HTMLButtonElement>) => (
  <button type="button" {...attributes} className={`button ${className}`.trim()} />
);
