import * as z from 'zod';

export const ChatDisplay = z.object({
  placeholder: z.string().optional(),
  welcomeMessage: z.string().nullable().optional(),
  theme: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Absent unless it is an object: widgets read its members' }),
});

type Members = Record<string, unknown>;

/** From the token's config, else the surface's behavior. Other members, and those of another type, stay private. */
export function chatDisplay(behavior: Members, config: Members): z.infer<typeof ChatDisplay> {
  const members = Object.entries(ChatDisplay.shape).flatMap(([name, schema]) => {
    const values = [config[name], behavior[name]].map((value) => schema.safeParse(value).data);
    const value = values.find((each) => each !== undefined);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(members);
}
