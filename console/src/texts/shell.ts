import { sentence, type Wrap } from './sentence.ts';

export const shellTexts = {
  agentsAndFlows: 'Agents and flows',
  console: 'Console',
  menu: 'Menu',
  account: 'Account',
  expandMenu: 'Expand the menu',
  collapseMenu: 'Collapse the menu',
  skipToContent: 'Skip to content',
  /** Read after the number of runs, beside the link to them. */
  open: 'open',
  runningCount: (runs: number) => `${runs} running`,
  waitingCount: (runs: number) => `${runs} waiting`,
  pageNotFound: 'Page not found',
  addressMayBeMistyped: (home: Wrap) =>
    sentence`The address may be mistyped, or from another version of the console. ${home('Go to home')}`,
  pageNotLoaded: 'This page could not be loaded',
  reloadPage: 'Reload page',
};
