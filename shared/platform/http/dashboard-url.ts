import { requireEnv } from '../../core/environment.ts';
import { trimTrailing } from '../../core/text.ts';

export const buildDashboardUrl = (baseUrl: string, ...path: readonly string[]) =>
  `${baseUrl}/console#/${path.join('/')}`;

export const dashboardUrlText = 'The page of the console that shows it';

/** The same, where no request says at which address the service is. @param path In the console, with its query: `inbox?wait=…` */
export const buildConsoleUrl = (path: string): string =>
  buildDashboardUrl(trimTrailing(requireEnv('PUBLIC_URL'), '/'), path);
