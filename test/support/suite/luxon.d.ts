/** The part of luxon that tests use. It comes without types. */
declare module 'luxon' {
  export interface DateTime {
    readonly hour: number;
    readonly minute: number;
    /** Minutes east of Greenwich. */
    readonly offset: number;
    /** The instants at which clocks show this time, earliest first. */
    getPossibleOffsets(): DateTime[];
    set(values: { second: number }): DateTime;
    minus(duration: { minutes: number }): DateTime;
    plus(duration: { minutes: number }): DateTime;
    setZone(zone: string, options: { keepLocalTime: boolean }): DateTime;
    toJSDate(): Date;
    toUTC(): DateTime;
  }
  type Values = Record<'year' | 'month' | 'day' | 'hour' | 'minute', number>;
  export const DateTime: {
    fromObject(values: Values, options: { zone: string }): DateTime;
    fromJSDate(date: Date, options: { zone: string }): DateTime;
    fromMillis(instant: number, options: { zone: string }): DateTime;
    fromISO(text: string, options: { zone: string }): DateTime;
  };
}
