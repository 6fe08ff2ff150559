/** What the console says about a tank without a sensor. Loaded with such a tank. */
export const enDips = {
  range: (low: string, high: string) => `Estimated: ${low} to ${high} (80% likely).`,
  cannotBeTold: {
    no_level: 'No estimate: there is no manual reading yet.',
    no_comparison: 'No estimate: fewer than 10 tanks with sensors to compare with.',
    irregular: 'No estimate: somebody turned it off, because this tank is used irregularly.',
    too_old: 'No estimate: the last manual reading is more than half a year old.',
  },
  wanted: 'A manual reading is needed. Read the dial and send the level.',
  forOwner: {
    unknown: 'We do not know the level now.',
    send: 'Please look at the dial, and send us the level or call us.',
    call: 'Please look at the dial and call us.',
  },
  level: 'Level on the dial, in percent',
  send: 'Send the level',
  sent: (level: string) => `Sent: ${level}. Thank you.`,
  invalid: 'Enter a number from 0 to 100.',
  refused: 'Not sent. A tank takes at most 5 levels a day. Try again tomorrow, or call us.',
  failed: 'Not sent. Try again.',
};
