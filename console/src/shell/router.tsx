import { createRootRoute, createRoute, createRouter, type RouteComponent } from '@tanstack/react-router';
import { lazy } from 'react';
import type { Screens } from '../routing/screens.ts';
import { agentScreens } from '../screens/agents/screens.ts';
import { commandLineScreens } from '../screens/command-line/screens.ts';
import { flowScreens } from '../screens/flows/screens.ts';
import { homeScreens } from '../screens/home/screens.ts';
import { productScreens } from '../screens/products/screens.ts';
import { recordScreens } from '../screens/records/screens.ts';
import { runScreens } from '../screens/runs/screens.ts';
import { settingsScreens } from '../screens/settings/screens.ts';
import { templateScreens } from '../screens/templates/screens.ts';
import { NotFound } from './not-found.tsx';
import { numberedHistory } from './numbered-history.ts';
import { ScreenFailure } from './screen-failure.tsx';
import { Shell } from './shell.tsx';

const screens: Screens = {
  ...homeScreens,
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
