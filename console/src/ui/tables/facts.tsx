import type { ReactNode } from 'react';

/** What is known of a thing at a glance: names and values, side by side. */
export const Facts = ({ of, isBig }: { of: readonly (readonly [string, ReactNode])[]; isBig?: boolean }) => (
  <dl className={isBig ? 'facts big' : 'facts'}>
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
