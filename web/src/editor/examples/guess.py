import random

# A game: type your guesses below, and Enter after each.
number = random.randint(1, 20)
guesses = 0
guess = 0
while guess != number:
    answer = input("A number from 1 to 20? ")
    if not answer.isdigit():
        print("Digits, please")
        continue
    guess = int(answer)
    guesses += 1
    if guess < number:
        print("More")
    elif guess > number:
        print("Less")
print("Found after", guesses, "guesses")
