/** The address of the API, with the stage if there is one: the console is served at its path `/console`. */
export const baseUrl = location.origin + location.pathname.replace(/\/console$/, '');

/** Where the issuer sends people back. */
export const consoleUrl = location.origin + location.pathname;
