import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { shellTexts } from '../texts/shell.ts';
import { Loading } from '../ui/loading/loaded.tsx';
import { SessionEndNotice } from '../ui/loading/session-end.tsx';
import { closeUndo, Notices } from '../ui/notices.tsx';
import { useAppearance } from './account/appearance.ts';
import { useShortcuts } from './shortcuts/use-shortcuts.ts';
import { SideBar, TopBar } from './side-bar.tsx';

const Drawer = lazy(async () => ({ default: (await import('./drawer.tsx')).Drawer }));
const Palette = lazy(async () => ({ default: (await import('./palette/palette.tsx')).Palette }));
const ShortcutsDialog = lazy(async () => ({
  default: (await import('./shortcuts/shortcuts-dialog.tsx')).ShortcutsDialog,
}));

type Opened = 'menu' | 'palette' | 'shortcuts';

/** The frame around every screen: the menu, who is signed in, the command palette, and the screen. */
export function Shell() {
  const { pathname } = useLocation();
  const [opened, open] = useState<Opened>();
  const close = () => open(undefined);
  useAppearance();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new screen begins at its top, with its menu closed
  useEffect(() => {
    close();
    closeUndo();
    window.scrollTo(0, 0);
  }, [pathname]);
  const actions = { onSearch: () => open('palette'), onShortcuts: () => open('shortcuts') };
  useShortcuts(actions);
  return (
    <div className="shell">
      <button className="skip button" type="button" onClick={() => document.getElementById('main')?.focus()}>
        {shellTexts.skipToContent}
      </button>
      <TopBar {...actions} onMenu={() => open('menu')} />
      <SideBar {...actions} pathname={pathname} />
      <Suspense fallback={<Loading />}>
        <Outlet />
      </Suspense>
      <Suspense>
        {opened === 'menu' && <Drawer {...actions} pathname={pathname} onClose={close} />}
        {opened === 'palette' && <Palette {...actions} onClose={close} />}
        {opened === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      </Suspense>
      <SessionEndNotice />
      <Notices />
    </div>
  );
}
