/** The body of a 404. */
export const notFoundBody = (what: string) => ({
  error: `${what} not found`,
  details: [{ code: 'NOT_FOUND', message: `${what} not found` }],
});
