import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/forms/button.tsx';
import { Who } from './who.tsx';

const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.tsx')).AccountMenu }));

/** The account at the foot of the menu. */
export function Account({ onShortcuts }: { onShortcuts: () => void }) {
  const [isWanted, want] = useState(false);
  const button = (
    <Button look="quiet" aria-haspopup="menu" aria-expanded={false} onPress={() => want(true)}>
      <Who />
    </Button>
  );
  return (
    <div className="account">
      {isWanted ? (
        <Suspense fallback={button}>
          <AccountMenu onShortcuts={onShortcuts} />
        </Suspense>
      ) : (
        button
      )}
    </div>
  );
}
