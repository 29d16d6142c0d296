/** A moment as JWTs and the expiry of items in DynamoDB take it. */
export const unixSeconds = (moment: Date) => Math.floor(moment.getTime() / 1_000);
