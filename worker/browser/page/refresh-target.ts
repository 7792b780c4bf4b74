/** The target of a refresh, in the forms that browsers take. */
export const refreshTarget = /^[\d.]+(?: ?[;,]| ) ?(?:url ?= ?)?(?:"([^"]*)|'([^']*)|(\S.*))/i;
