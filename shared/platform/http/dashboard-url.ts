export const buildDashboardUrl = (baseUrl: string, ...path: readonly string[]) =>
  `${baseUrl}/console#/${path.join('/')}`;

export const dashboardUrlText = 'The page of the console that shows it';
