/** What the console says about a tank without a sensor. Loaded with such a tank. */
export const enDips = {
  range: (low: string, high: string) => `Between ${low} and ${high}, four of five times.`,
  cannotBeTold: {
    no_level: 'Nobody has seen the level of this tank yet.',
    no_comparison: 'Cannot be told: too few tanks with sensors to compare with.',
    irregular: 'Cannot be told: the use of this tank follows no rule.',
    too_old: 'Cannot be told: nobody has seen the level for half a year.',
  },
  wanted: 'A dip is asked for: somebody should look at the dial.',
  forOwner: {
    unknown: 'We do not know the level now.',
    send: 'Please look at the dial, and send us the level or call us.',
    call: 'Please look at the dial and call us.',
  },
  level: 'Level on the dial, in percent',
  send: 'Send the level',
  sent: (level: string) => `Sent: ${level}. Thank you.`,
  invalid: 'Enter a number from 0 to 100.',
  refused: 'This was refused. The level may have been sent often enough today.',
  failed: 'This was not sent. Try again.',
};
