import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

interface Props {
  /** A path of the console: `/flows/flow_…`. */
  to: string;
  children: ReactNode;
  className?: string;
  title?: string;
  /** -1 where something around it has the focus. */
  tabIndex?: number;
  'aria-current'?: 'page' | undefined;
}

/** A link to another screen, which also works in a new tab. */
export function Link({ to, ...props }: Props) {
  const { history } = useRouter();
  function go(event: MouseEvent) {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    // By the router, which asks a screen with unsaved changes first.
    event.preventDefault();
    history.push(to);
  }
  return <a href={`#${to}`} onClick={go} {...props} />;
}
