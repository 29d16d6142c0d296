import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components';

interface Props extends Omit<ButtonProps, 'children' | 'className' | 'render'> {
  children: ReactNode;
  look?: 'plain' | 'primary' | 'danger' | 'quiet';
}

const pending = { 'aria-disabled': true, 'data-pending': true } as const;

/**
 * While `isPending`, it keeps the focus and does nothing. React Aria does not learn of it: its announcement would name
 * the button after a dialog has closed with it.
 */
export const Button = ({ look = 'plain', isPending = false, onPress, type = 'button', ...props }: Props) => (
  <AriaButton
    {...props}
    {...(!isPending && onPress && { onPress })}
    type={isPending ? 'button' : type}
    className={`button ${look}`}
    render={(attributes) => <button {...attributes} {...(isPending && pending)} />}
  />
);
