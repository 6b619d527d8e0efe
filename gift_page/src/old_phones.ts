/** What viem needs and iPhones before iOS 15.4 do not have. */
if (!Object.hasOwn) Object.hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
