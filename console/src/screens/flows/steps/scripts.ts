const ofEveryType = /^(script|code|condition|when|expression)$/i;
const ofType: Readonly<Record<string, readonly string[]>> = { map: ['items', 'output'], loop: ['while'] };

/** Whether a member of a step is JavaScript. */
export const isScript = (type: string, member: string) =>
  ofEveryType.test(member) || (ofType[type]?.includes(member) ?? false);
