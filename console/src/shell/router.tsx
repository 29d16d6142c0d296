import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Outlet,
  type RouteComponent,
  type RouterHistory,
  useLocation,
} from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Screens } from '../routing/screens.ts';
import { agentScreens } from '../screens/agents/screens.ts';
import { alertScreens } from '../screens/alerts/screens.ts';
import { commandLineScreens } from '../screens/command-line/screens.ts';
import { flowScreens } from '../screens/flows/screens.ts';
import { homeScreens } from '../screens/home/screens.ts';
import { inboxScreens } from '../screens/inbox/screens.ts';
import { productScreens } from '../screens/products/screens.ts';
import { recordScreens } from '../screens/records/screens.ts';
import { runScreens } from '../screens/runs/screens.ts';
import { settingsScreens } from '../screens/settings/screens.ts';
import { templateScreens } from '../screens/templates/screens.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/forms/button.tsx';
import { Link } from '../ui/link.tsx';
import { FailureNotice } from '../ui/loading/failure.tsx';
import { Loading } from '../ui/loading/loaded.tsx';
import { SessionEndNotice } from '../ui/loading/session-end.tsx';
import { closeUndo, Notices } from '../ui/notices.tsx';
import { ScreenPage } from '../ui/page.tsx';
import { useAppearance } from './account/appearance.ts';
import { useShortcuts } from './shortcuts/use-shortcuts.ts';
import { SideBar, TopBar } from './side-bar.tsx';

const NotFound = () => (
  <ScreenPage title={shellTexts.pageNotFound}>
    <p>
      {shellTexts.addressMayBeMistyped((text) => (
        <Link to="/">{text}</Link>
      ))}
    </p>
  </ScreenPage>
);

/** In the place of a screen that could not be loaded or shown. A reload also gets the newest version of the console. */
const ScreenFailure = ({ error, reset }: ErrorComponentProps) => (
  <ScreenPage title={shellTexts.pageNotLoaded}>
    <div className="stack">
      <FailureNotice error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
      <div className="actions">
        <Button onPress={() => location.reload()}>{shellTexts.reloadPage}</Button>
      </div>
    </div>
  </ScreenPage>
);

const screens: Screens = {
  ...homeScreens,
  ...inboxScreens,
  ...alertScreens,
  ...flowScreens,
  ...recordScreens,
  ...agentScreens,
  ...runScreens,
  ...productScreens,
  ...settingsScreens,
  ...templateScreens,
  ...commandLineScreens,
};

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const children = Object.entries(screens).map(([path, load]) =>
  createRoute({ getParentRoute: () => root, path, component: lazy(load) as unknown as RouteComponent }),
);

/** Routes by the fragment of the address, so that the page is one file, wherever it is served. */
export const router = createRouter({
  routeTree: root.addChildren(children),
  history: numberedHistory(),
  // The menu stays: one goes to another screen.
  defaultErrorComponent: ScreenFailure,
  // A screen of something else begins anew: nothing that it keeps belongs to the other one.
  defaultRemountDeps: ({ params }) => params,
});

const indexOf = (state: unknown) => (state as { __TSR_index?: number } | null)?.__TSR_index;

/**
 * The history of the page by its fragment. An address that somebody types makes an entry without the number that the
 * router gives to its own. Without one, the router cannot take it back when somebody stays on the screen that they left.
 */
function numberedHistory(): RouterHistory {
  // Before the listener of the router, and past its own `replaceState`, which would go there without a question.
  window.addEventListener('popstate', ({ state }) => {
    if (indexOf(state) !== undefined) return;
    const next = (indexOf(history.location.state) ?? 0) + 1;
    History.prototype.replaceState.call(window.history, { ...state, __TSR_index: next }, '');
  });
  const history = createHashHistory();
  return history;
}

const Drawer = lazy(async () => ({ default: (await import('./drawer.tsx')).Drawer }));
const Palette = lazy(async () => ({ default: (await import('./palette/palette.tsx')).Palette }));
const ShortcutsDialog = lazy(async () => ({
  default: (await import('./shortcuts/shortcuts-dialog.tsx')).ShortcutsDialog,
}));

type Opened = 'menu' | 'palette' | 'shortcuts';

/** The frame around every screen: the menu, who is signed in, the command palette, and the screen. */
function Shell() {
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
