/** The address of a page of the console, by the parts of its path. */
export const dashboardUrl = (baseUrl: string, ...path: readonly string[]) =>
  `${baseUrl}/console#/${path.join('/')}`;

/** Describes the member of a response that has it. */
export const dashboardUrlText = 'The page of the console that shows it';
