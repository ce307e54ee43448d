class Animal:
    def __init__(self, name):
        self.name = name

    def speak(self):
        text = self.name + ' speaks'
        return text  # stop

class Dog(Animal):
    def speak(self):
        loud = super().speak().upper()
        return loud  # stop

print(Dog('rex').speak())
