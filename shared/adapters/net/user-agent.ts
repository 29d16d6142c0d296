/** How the service calls itself, by which a site's robots.txt knows it too. */
export const userAgent = 'agent-flow-service';
