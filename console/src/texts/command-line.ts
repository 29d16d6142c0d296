import type { ReactNode } from 'react';
import { sentence, type Wrap } from './sentence.ts';

export const commandLineTexts = {
  allowTheCommandLine: 'Allow the command line?',
  computerAsks: (host: ReactNode, user: ReactNode) =>
    sentence`The command line on ${host} asks for an API key for the account ${user}. With the key it can do what is selected here, until you delete the key in the settings.`,
  inOrganization: (organization: ReactNode) =>
    sentence`The key opens the data of the organization ${organization}.`,
  onlyIfYouAsked: (code: Wrap) =>
    sentence`Allow this only if you have just run ${code('agent-flow login')} on that computer. If somebody sent you to this page, choose Deny.`,
  noPermissionChosen: 'Select at least one permission, or choose Deny.',
  noPermissionToGive: 'Your session has none of the permissions that the command line uses. Choose Deny.',
  allow: 'Allow',
  deny: 'Deny',
  goBackToTerminal: 'Go back to the terminal. You can close this window.',
  loginDenied: 'You denied the login. You can close this window.',
  pasteTheCode: (command: ReactNode) =>
    sentence`Paste this code into the terminal in which ${command} waits. It works once, within two minutes.`,
  theCode: 'The code',
  giveItToNobody: 'Give the code to nobody: it opens your account.',
  addressIsIncomplete: (code: Wrap) =>
    sentence`This address is not complete. Run ${code('agent-flow login')} again, and open the address that it prints.`,
  keysAllowNothing: (code: Wrap) =>
    sentence`You use the console with an API key, which cannot create others. Sign in as a person, or give the command line your key: ${code('agent-flow login --key')}`,
  sessionMayNotCreateKeys: (code: Wrap) =>
    sentence`Your session lacks the permission ${code('API_KEYS:WRITE')}. Ask an administrator for an API key, and log in with it: ${code('agent-flow login --key')}`,
};
