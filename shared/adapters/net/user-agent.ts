/** The service's user agent, also for robots.txt. */
export const userAgent = 'agent-flow-service';
