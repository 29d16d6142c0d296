import type { ReactNode } from 'react';

/** A text that explains a field. The texts of the API put names of members and values between backticks. */
export const Help = ({ children }: { children: ReactNode }) =>
  typeof children === 'string'
    ? children.split('`').map((part, place) =>
        place % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other identity
          <code key={place}>{part}</code>
        ) : (
          part
        ),
      )
    : children;
