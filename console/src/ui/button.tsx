import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components';

interface Props extends Omit<ButtonProps, 'children' | 'className'> {
  children: ReactNode;
  look?: 'plain' | 'primary' | 'danger' | 'quiet';
}

/** While `isPending`, it keeps the focus and does nothing. */
export const Button = ({ look = 'plain', ...props }: Props) => (
  <AriaButton {...props} className={`button ${look}`} />
);
