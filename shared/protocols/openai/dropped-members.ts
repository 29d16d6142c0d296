import * as z from 'zod';

const thoughts = 'thoughts of a model, which is not asked to go on with them';
const signature = 'what another provider wants back with its own calls';
const caching = 'prompt caching is a setting of the model config';
const ofSender = 'a number that clients give to what they keep';
const ofStream = 'the place in the stream from which a client put it together';
const parsed = 'what packages read from the text beside it';
const sources = 'sources of an answer, which its text names';

/**
 * The one list of members that clients send back as they got them, or write for other servers, and that change no answer here:
 * they are taken, and dropped. All others that are unknown are an error, because they may be meant to change something (D140).
 */
const droppedMembers = {
  message: {
    name: 'the name of whoever speaks; no provider but OpenAI takes it',
    id: ofSender,
    cache_control: caching,
    cache_breakpoint: caching,
    provider_specific_fields: signature,
  },
  assistantMessage: {
    reasoning_content: thoughts,
    reasoning: thoughts,
    reasoning_details: thoughts,
    reasoning_text: thoughts,
    reasoning_items: thoughts,
    reasoning_opaque: signature,
    thinking: thoughts,
    thinking_blocks: thoughts,
    tool_plan: thoughts,
    thought_signature: signature,
    extra_content: signature,
    annotations: sources,
    citations: sources,
    parsed,
    index: ofStream,
    finish_reason: 'how an earlier answer ended',
    logprobs: 'how likely an earlier answer was',
  },
  toolMessage: {
    tool_name: 'the name of the tool, which its call has',
    status: 'whether the tool failed, which its result says',
    artifact: 'what a program keeps for itself',
  },
  toolCall: {
    index: ofStream,
    cache_control: caching,
    provider_specific_fields: signature,
    extra_content: signature,
    thought_signature: signature,
  },
  calledFunction: {
    parsed_arguments: parsed,
    index: ofStream,
    provider_specific_fields: signature,
    thought_signature: signature,
  },
  part: {
    id: ofSender,
    index: ofStream,
    annotations: sources,
    citations: sources,
    cache_control: caching,
    prompt_cache_breakpoint: caching,
    provider_specific_fields: signature,
    extra_content: signature,
  },
  image: { format: 'the media type, which the image itself has', detail: 'how exactly OpenAI looks at it' },
  tool: { cache_control: caching, prompt_cache_breakpoint: caching },
  responseItem: {
    id: ofSender,
    status: 'how the item ended',
    created_by: 'who made the item',
    phase: 'what an earlier text was for',
    parsed_arguments: parsed,
    parsed,
    logprobs: 'how likely an earlier answer was',
    annotations: sources,
    prompt_cache_breakpoint: caching,
  },
} as const satisfies Record<string, Record<string, string>>;

type Lists = typeof droppedMembers;
type Dropped<List> = { [Name in keyof List]: z.ZodOptional<z.ZodUnknown> };

/** The members of a kind of object that are taken and dropped. */
export const acceptDropped = <Kind extends keyof Lists>(kind: Kind): Dropped<Lists[Kind]> =>
  Object.fromEntries(
    Object.entries(droppedMembers[kind]).map(([name, reason]) => [
      name,
      z
        .unknown()
        .optional()
        .meta({ description: `Ignored: ${reason}` }),
    ]),
  ) as Dropped<Lists[Kind]>;
