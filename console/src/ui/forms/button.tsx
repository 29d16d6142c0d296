import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components';

interface Props extends Omit<ButtonProps, 'children' | 'className' | 'render'> {
  children: ReactNode;
  look?: 'plain' | 'primary' | 'danger' | 'quiet';
}

const idle = { 'aria-disabled': true, 'data-idle': true } as const;

/**
 * While `isPending` or `isDisabled`, it does nothing, and keeps the focus: one's own press may have brought it there, and
 * the keyboard has to go on from somewhere. React Aria does not learn of it: its announcement of `isPending` would name
 * the button after a dialog has closed with it.
 */
export function Button({ look = 'plain', isPending, isDisabled, onPress, type = 'button', ...props }: Props) {
  const isIdle = isPending || isDisabled;
  return (
    <AriaButton
      {...props}
      {...(!isIdle && onPress && { onPress })}
      type={isIdle ? 'button' : type}
      className={`button ${look}`}
      render={(attributes) => <button {...attributes} {...(isIdle && idle)} />}
    />
  );
}
