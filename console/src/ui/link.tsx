import type { ReactNode } from 'react';

interface Props {
  /** A path of the console: `/flows/flow_…`. */
  to: string;
  children: ReactNode;
  className?: string;
  'aria-current'?: 'page' | undefined;
}

/** A link to another screen, which also works in a new tab. */
export const Link = ({ to, ...props }: Props) => <a href={`#${to}`} {...props} />;
