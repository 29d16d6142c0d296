import { sentence, type Wrap } from './sentence.ts';

export const signInTexts = {
  agentAndFlowAutomation: 'Agent and Flow Automation',
  signIn: 'Sign in',
  signingIn: 'Signing in',
  noSignInForBrowsers: (code: Wrap) =>
    sentence`This deployment has no sign-in for browsers: ${code('docs/deploying.md')} explains how to add one. You can use an API key.`,
  useApiKey: 'Use an API key',
  keptInMemoryOnly:
    'Kept in the memory of this page, and forgotten when you leave it. You see what the key may see.',
  notAnApiKey: 'This is not an API key. API keys begin with tv_live_ or tv_test_',
  continueWithKey: 'Continue with key',
  apiKeyEndingWith: (end: string) => `API key …${end}`,
  httpsOrLocalhostOnly: 'Browsers sign in over HTTPS or on localhost only. Here you can use an API key.',

  sessionEndedSignInAgain: 'Your session has ended. Sign in again.',
  sessionNotRenewed: 'Your session could not be renewed. Try again in a moment.',
  popUpBlocked: 'The browser blocked the window. Allow pop-ups of this page, and try again.',
  signedInAsAnother: (user: string) =>
    `You signed in as ${user}, not as before. Reload this page to continue as ${user}.`,
  closeThisWindow: 'Close this window. Your unsaved changes are in the other one.',
};
